import { plans } from '../../domain/plan.ts';
import { readOperation } from '../operation.ts';
import { Type } from '../schemas/type.ts';
import { Plan } from '../schemas/usage.ts';
import { value } from '../success.ts';

const shown = plans.map(({ id, name, limits }) => ({ id, name, ...limits }));

export const listPlans = readOperation({
  id: 'listPlans',
  method: 'GET',
  path: '/plans',
  tag: 'usage',
  scope: 'none',
  servedWhile: ['suspended', 'closing'],
  metering: 'free',
  summary: 'List the plans',
  description: 'Cheapest first. Needs no key and costs no quota.',
  success: value(Type.Array(Plan), 'The plans and their limits.'),
  example: shown,
  handle: async () => shown,
});
