import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const folder = fileURLToPath(new URL('../src', import.meta.url));

async function gzipBytes(code: string): Promise<{ bytes: number; imports: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    metafile: true,
    platform: 'browser',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.map(({ path }) => path),
  );
  return { bytes: gzipSync(outputFiles[0]!.contents).length, imports };
}

describe('the client', () => {
  it('is at most 8 kB with everything, and imports nothing', async () => {
    const { bytes, imports } = await gzipBytes("export * from './petstore.ts'");
    expect(imports).toEqual([]);
    expect(bytes).toBeLessThanOrEqual(8 * 1024);
  });

  it('is at most 6 kB with one group', async () => {
    const { bytes } = await gzipBytes("export { Orders, Transport } from './petstore.ts'");
    expect(bytes).toBeLessThanOrEqual(6 * 1024);
  });

  it('depends on no package', () => {
    expect(manifest).not.toHaveProperty('dependencies');
  });
});
