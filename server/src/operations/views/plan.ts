import type { Plan } from '../../domain/plan.ts';

export function planView({ id, name, limits }: Plan) {
  return { id, name, ...limits };
}
