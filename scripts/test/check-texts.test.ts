import { describe, expect, it } from 'vitest';
import { findCrowdedFolders, findLength } from '../sizes.ts';
import { findWords } from '../words.ts';

describe('the check of words', () => {
  it.each([
    'Whoever asks gets it.',
    'Nobody waits.',
    'A client gets what he asked for.',
    'mended what was broken',
    'the caller is told so',
    'clients that were turned away',
    'done once in a turn of the event loop',
  ])('finds "%s" and says what to write instead', (line) => {
    const found = findWords('docs/a.md', `first\n${line}\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^docs\/a\.md:2: ".+": write ./);
  });

  it('lets the field’s words pass, and a word where it means something else', () => {
    const text =
      'Requests are shed. The header is set in this tick. The theme of the recommended hero.';
    expect(findWords('docs/a.md', text)).toEqual([]);
    expect(findWords('server/test/support/servers.ts', "find('nobody')")).toEqual([]);
  });
});

describe('the check of sizes', () => {
  const lines = (count: number) => 'const a = 1;\n'.repeat(count);

  it('allows 300 lines of source and 400 of a test', () => {
    expect(findLength('server/src/a.ts', lines(300))).toBeUndefined();
    expect(findLength('server/src/a.ts', lines(301))).toContain('301 lines, at most 300');
    expect(findLength('server/test/a.test.ts', lines(400))).toBeUndefined();
    expect(findLength('server/test/a.test.ts', lines(401))).toContain('401 lines, at most 400');
    expect(findLength('docs/a.md', lines(1_000))).toBeUndefined();
  });

  it('allows 20 files in a folder, and 24 in one of tests', () => {
    const files = (folder: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${folder}/${n}.ts`);
    expect(findCrowdedFolders(files('scripts', 20))).toEqual([]);
    const crowded = findCrowdedFolders(files('scripts', 21));
    expect(crowded).toEqual(['scripts/: 21 files, at most 20: split it']);
    expect(findCrowdedFolders(files('torture', 24))).toEqual([]);
    expect(findCrowdedFolders(files('torture', 25))).toHaveLength(1);
  });
});
