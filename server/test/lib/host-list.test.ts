import { expect, it } from 'vitest';
import { urlsOfHosts } from '../../src/lib/network/host-list.ts';

it('a URL of several hosts stands for one of each', () => {
  expect(urlsOfHosts('postgres://user:p@ss@a:5432,b/petstore?sslmode=require')).toEqual([
    'postgres://user:p@ss@a:5432/petstore?sslmode=require',
    'postgres://user:p@ss@b/petstore?sslmode=require',
  ]);
});

it('what stands behind the hosts may have an @', () => {
  expect(urlsOfHosts('postgres://a,b/petstore?application_name=x@y')).toEqual([
    'postgres://a/petstore?application_name=x@y',
    'postgres://b/petstore?application_name=x@y',
  ]);
});
