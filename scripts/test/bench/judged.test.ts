// What was not measured must not look as if it were.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { gzipOf } from '../../../bench/compressed-size.ts';
import { until } from '../../../bench/events/until.ts';
import { refuseOtherAnswers } from '../../../bench/measure.ts';
import { startPeer } from '../../../bench/peers.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';

function newFolder(): string {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  return path;
}

it('refuses answers with another status, but for requests that an overloaded service sheds', () => {
  const scenario = { name: 'read', status: 200 };
  const judge = (statuses: [number, number][], mayShed = false) => {
    refuseOtherAnswers(scenario, { statuses: new Map(statuses) }, { mayShed });
  };
  judge([[200, 5]]);
  judge(
    [
      [200, 5],
      [503, 1],
    ],
    true,
  );
  expect(() =>
    judge([
      [200, 5],
      [503, 1],
    ]),
  ).toThrow('read: expected 200');
  expect(() =>
    judge(
      [
        [200, 5],
        [500, 1],
      ],
      true,
    ),
  ).toThrow('read: expected 200');
  expect(() => judge([[503, 5]], true)).toThrow('read: expected 200');
});

it('ends when an event is lost', async () => {
  await until(2, () => 2);
  await expect(until(2, () => 1, 0)).rejects.toThrow('1 of 2 events arrived');
});

it('adds up all compressed files of the build, and fails without one', () => {
  const dist = join(newFolder(), 'dist/');
  mkdirSync(dist);
  writeFileSync(`${dist}manifest.json`, '["chunk-a.js","chunk-b.js","more-c.js"]');
  for (const name of ['chunk-a.js', 'chunk-b.js']) {
    writeFileSync(`${dist}${name}.gz`, Buffer.alloc(512));
  }
  expect(gzipOf(dist, /^chunk-/)).toBe(1);
  expect(() => gzipOf(dist, /^styles-/)).toThrow('no file that matches');
  expect(() => gzipOf(dist, /^more-/)).toThrow('more-c.js.gz');
});

it('does not measure a peer that ends instead of listening', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'peer.mjs'), 'process.exit(1);');
  await expect(startPeer(['peer.mjs'], folder)).rejects.toThrow('peer.mjs does not listen');
});
