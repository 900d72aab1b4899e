import { expect, it } from 'vitest';
import { nearest } from '../../src/cli/nearest.ts';

const words = ['serve', 'keys list', 'keys create', 'backup'];

it.each([
  ['serv', 'serve'],
  ['sevre', undefined],
  ['keys lsit', 'keys list'],
  ['keyslist', 'keys list'],
  ['bakcup', 'backup'],
  ['dance', undefined],
  ['', undefined],
])('of %s is %s', (written, expected) => {
  expect(nearest(written, words)).toBe(expected);
});
