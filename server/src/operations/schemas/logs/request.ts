import { requestVias } from '../../../domain/logs/request.ts';
import { choice, count, INTEGER_MAX, id, instant, object } from '../fields.ts';
import { Type } from '../type.ts';

const size = (description: string) => count(description, 0, INTEGER_MAX);

export const LoggedRequest = object('LoggedRequest', {
  id: Type.String({ description: 'The id of the request: the `X-Request-Id` of its response.' }),
  at: instant('When it arrived.'),
  workspaceId: Type.Optional(
    id('The workspace of its key; only for operators, and absent without a valid key.'),
  ),
  method: Type.String({ description: 'The HTTP method.', example: 'POST' }),
  route: Type.Optional(
    Type.String({
      description: 'The path with its parameters in braces; absent if the path is unknown.',
      example: '/v1/store/orders/{orderId}',
    }),
  ),
  path: Type.String({ description: 'The path without its query.' }),
  operationId: Type.Optional(
    Type.String({ description: 'The operation; absent if the path has none.' }),
  ),
  status: count('The status of the response.', 100, 599),
  code: Type.Optional(Type.String({ description: 'The code of the error, if it was one.' })),
  keyId: Type.Optional(
    Type.String({ description: 'The API key or session; absent without a valid one.' }),
  ),
  durationMs: Type.Unsafe<number>({
    type: 'number',
    minimum: 0,
    description: 'How long it took, in milliseconds.',
  }),
  requestBytes: size('The size of its body.'),
  responseBytes: size('The size of the body of the response, as it was sent.'),
  isReplay: Type.Boolean({
    description: 'Whether the response was stored under an `Idempotency-Key` before.',
  }),
  via: choice(
    requestVias,
    'How it came: over HTTP with a key, from the console, or as a message of an agent.',
  ),
  traceId: Type.Optional(Type.String({ description: 'The trace it was part of.' })),
  address: Type.Optional(
    Type.String({
      description:
        'The network of the client: the /24 of an IPv4 address, the /48 of an IPv6 address. Only for keys with `manage`.',
      example: '192.0.2.0/24',
    }),
  ),
});

export const exampleLoggedRequest = {
  id: '8c1f0b6e92d47a3f5e-4f',
  at: '2026-11-15T09:00:00Z',
  method: 'POST',
  route: '/v1/store/orders',
  path: '/v1/store/orders',
  operationId: 'placeOrder',
  status: 409,
  code: 'insufficient_stock',
  keyId: '3ZrHIxYjJZft',
  durationMs: 1.482,
  requestBytes: 25,
  responseBytes: 231,
  isReplay: false,
  via: 'http' as const,
  address: '192.0.2.0/24',
};
