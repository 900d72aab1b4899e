import type { Operation } from './operation.ts';

export interface Address {
  path: string;
  shape: RegExp;
  methods: string[];
}

/** The addresses of all operations, each with the methods that it takes; those without parameters first. */
export function addressesOf(operations: readonly Operation[]): Address[] {
  const addresses = new Map<string, Address>();
  for (const { path, method } of operations) {
    const shape = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`);
    const address = addresses.get(path) ?? { path, shape, methods: [] };
    address.methods.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
    addresses.set(path, address);
  }
  return [...addresses.values()].sort((a, b) => parameterCount(a) - parameterCount(b));
}

/** Addresses that would be taken for another one, as /pets/batch for a pet, by a method that they do not take. */
export function shadowedAddresses(addresses: readonly Address[]): Address[] {
  return addresses.filter(({ path }) =>
    addresses.some((other) => other.path !== path && other.shape.test(path)),
  );
}

function parameterCount({ path }: Address): number {
  return path.split('{').length - 1;
}
