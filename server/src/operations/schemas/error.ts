import { errorCodes } from '../../domain/errors.ts';
import { object } from './fields.ts';
import { Type } from './type.ts';

export const ErrorSchema = object('Error', {
  code: Type.Unsafe<string>({
    type: 'string',
    'x-extensible-enum': errorCodes,
    description: `Machine-readable error code. New codes can be added, so accept others than these: ${errorCodes.join(', ')}.`,
  }),
  message: Type.String({ description: 'Human-readable description.' }),
  status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status code.' }),
  requestId: Type.String({ description: 'Identifies the request in the logs of the service.' }),
  docUrl: Type.String({
    description: 'The entry of the code in the reference, as a relative reference.',
  }),
  details: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'The invalid fields, or the facts of the conflict.',
      oneOf: [
        {
          type: 'array',
          items: {
            type: 'object',
            required: ['field', 'message'],
            properties: { field: { type: 'string' }, message: { type: 'string' } },
          },
        },
        { type: 'object', additionalProperties: true },
      ],
    }),
  ),
});
