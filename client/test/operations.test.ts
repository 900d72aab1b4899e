import { describe, expect, it } from 'vitest';
import { methodName } from '../../scripts/client-contract.ts';
import type { Operation } from '../../server/src/operations/operation.ts';
import { operations } from '../../server/src/operations/operations.ts';
import { Petstore } from '../src/petstore.ts';
import { scriptedFetch } from '../src/testing.ts';

const groupOf: Partial<Record<Operation['tag'], keyof Petstore>> = { animals: 'pets' };

type Method = (...args: unknown[]) => PromiseLike<unknown>;

function methodOf(store: Petstore, operation: Operation): Method {
  const group = store[groupOf[operation.tag] ?? (operation.tag as keyof Petstore)];
  const methods = group as unknown as Record<string, Method>;
  return methods[methodName(operation)]!.bind(group);
}

describe('every operation is a method of the client', () => {
  const called = operations.filter(({ success }) => success.kind !== 'stream');
  it.each(called.map((operation) => [operation.id, operation] as const))(
    '%s sends its method, path, query and body',
    async (_, operation) => {
      const isEmpty = operation.success.kind === 'empty';
      const fetch = scriptedFetch([isEmpty ? { status: 204 } : { body: [{}] }]);
      const store = new Petstore({ apiKey: 'psk_test', baseUrl: 'http://store.test/v1', fetch });
      const names = Object.keys(operation.params ?? {});
      const hasQuery = operation.list !== undefined || 'limit' in (operation.query ?? {});
      const query = hasQuery ? [{ limit: 3 }] : [];
      const body = operation.body ? [{ some: 'body' }] : [];
      await methodOf(store, operation)(...names.map((_, at) => at + 7), ...body, ...query);
      const [request] = fetch.requests;
      let next = 7;
      // A deprecated read of one record sends its successor.
      const target = operation.deprecation?.successor.replace('GET ', '') ?? operation.path;
      const path = target.replaceAll(/\{\w+\}/g, () => String(next++));
      expect(request!.method).toBe(operation.method);
      expect(request!.url).toBe(`http://store.test/v1${path}${hasQuery ? '?limit=3' : ''}`);
      expect(await request!.text()).toBe(operation.body ? '{"some":"body"}' : '');
      expect(request!.headers.get('authorization')).toBe('Bearer psk_test');
      expect(request!.headers.has('idempotency-key')).toBe(operation.method !== 'GET');
    },
  );
});
