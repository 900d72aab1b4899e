import { planIds } from '../../domain/plan.ts';
import { choice, count, INTEGER_MAX } from './fields.ts';
import { Type } from './type.ts';

export const Plan = Type.Object(
  {
    id: choice(planIds, 'The plan.'),
    name: Type.String({ description: 'The name of the plan.' }),
    perMinute: Type.Optional(
      count('Requests per minute; absent if agreed individually.', 1, INTEGER_MAX),
    ),
    perDay: Type.Optional(
      count('Requests per day; absent if agreed individually.', 1, INTEGER_MAX),
    ),
  },
  { title: 'Plan', additionalProperties: false },
);
