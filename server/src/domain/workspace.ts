import type { Limits, PlanId } from './plan.ts';

export interface Workspace {
  id: number;
  name: string;
  plan: PlanId;
  limits: Limits;
  /** Epoch milliseconds. */
  createdAt: number;
}
