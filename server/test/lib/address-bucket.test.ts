import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressBucket } from '../../src/lib/network/address-bucket.ts';

describe('addressBucket', () => {
  it('is the address itself for IPv4, also when it is mapped into IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(addressBucket(address)).toBe(address);
        expect(addressBucket(`::ffff:${address}`)).toBe(address);
        expect(addressBucket(`::FFFF:${address}`)).toBe(address);
      }),
    );
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:7.8.9.10', '1:2:3:4::/64'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ])('puts %s into %s', (address, bucket) => {
    expect(addressBucket(address)).toBe(bucket);
  });

  it('depends on the first 64 bits of an IPv6 address and on nothing else', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const four = fc.tuple(group, group, group, group);
    fc.assert(
      fc.property(four, four, four, (network, host, other) => {
        const write = (groups: number[]) => groups.map((n) => n.toString(16)).join(':');
        const bucket = addressBucket(write([...network, ...host]));
        expect(addressBucket(write([...network, ...other]))).toBe(bucket);
        expect(bucket).toBe(`${write(network)}::/64`);
        if (write(network) !== write(other)) {
          expect(addressBucket(write([...other, ...host]))).not.toBe(bucket);
        }
      }),
    );
  });

  it('gives one bucket to all ways of writing an address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        fc.pre(isIPv6(address) && !/^::ffff:[\d.]+$/i.test(address));
        const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
        expect(addressBucket(canonical)).toBe(addressBucket(address));
      }),
    );
  });

  it('passes on what is no address', () => {
    expect(addressBucket('')).toBe('');
  });
});
