import type { Callback } from '../operations/contract.ts';
import type { Operation } from '../operations/operation.ts';
import { type Components, type Json, referTo } from './components.ts';

/** The requests that the service sends because of an operation, as the callbacks of OpenAPI. */
export function callbacksOf({ callbacks = {} }: Operation, components: Components): Json {
  const entries = Object.entries(callbacks).map(([name, callback]) => {
    return [name, { [callback.url]: pathItem(name, callback, components) }];
  });
  return entries.length > 0 ? { callbacks: Object.fromEntries(entries) } : {};
}

/** The same for tools that show `x-webhooks` instead. */
export function webhooksOf(operations: readonly Operation[], components: Components): Json {
  const all = operations.flatMap(({ callbacks = {} }) => Object.entries(callbacks));
  const entries = all.map(([name, callback]) => {
    const { post } = pathItem(name, callback, components) as { post: Json };
    return [name, { post: { operationId: `${name}Sent`, ...post } }];
  });
  return entries.length > 0 ? { 'x-webhooks': Object.fromEntries(entries) } : {};
}

function pathItem(
  name: string,
  { summary, headers, body, examples }: Callback,
  components: Components,
): Json {
  const parameters = Object.entries(headers).map(([header, description]) => {
    return { name: header, in: 'header', required: true, description, schema: { type: 'string' } };
  });
  const values = Object.entries(examples).map(([example, value]) => [example, { value }]);
  const content = { schema: referTo(body, components), examples: Object.fromEntries(values) };
  return {
    post: {
      summary,
      description: `Sent by the service: ${name}.`,
      security: [],
      parameters,
      requestBody: { required: true, content: { 'application/json': content } },
      responses: {
        default: {
          description:
            '2xx: delivered. 410: the webhook is disabled. Anything else: sent again later.',
        },
      },
    },
  };
}
