import type { Limits, PlanId } from './plan.ts';

export interface Workspace {
  id: number;
  name: string;
  plan: PlanId;
  limits: Limits;
  /** `inventory.low` is emitted when the available units of a pet fall to this number; never if absent. */
  lowStockAt?: number;
  /** Epoch milliseconds. */
  createdAt: number;
}
