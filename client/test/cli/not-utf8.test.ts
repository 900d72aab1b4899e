import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { runPetstore } from '../support/run-petstore.ts';

const folder = temporaryFolder();
// Nothing listens there: a request that is sent ends with another exit code.
const env = {
  PETSTORE_API_KEY: `psk_${'a'.repeat(50)}`,
  PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1',
};

describe.each([
  ['stock take', 'petId,quantity,reason\n1,7,K\xE4fig\n'],
  ['pets create --data', '{"name":"K\xE4the","categoryId":1}'],
  ['api POST /pets --data', '{"name":"K\xE4the","categoryId":1}'],
])('`petstore %s` refuses text that is not UTF-8 instead of replacing characters', (line, text) => {
  const words = line.split(' ');
  const bytes = Buffer.from(text, 'latin1');

  it('of a file', async () => {
    const file = `${folder.path}/latin1`;
    writeFileSync(file, bytes);
    const [mark, source] = words.includes('--data') ? ['@', '--data: '] : ['', ''];
    const outcome = await runPetstore([...words, `${mark}${file}`], { env });
    const stderr = `petstore: ${source}the file ${file} is not UTF-8\n`;
    expect(outcome).toEqual({ code: 2, stdout: '', stderr });
  });

  it('of standard input', async () => {
    const outcome = await runPetstore([...words, '-'], { env, input: Readable.from([bytes]) });
    const stderr = 'petstore: standard input is not UTF-8\n';
    expect(outcome).toEqual({ code: 2, stdout: '', stderr });
  });
});

it('takes a character of standard input whose bytes arrive one by one', async () => {
  const bytes = Buffer.from('petId,quantity,käfig\n1,7,x\n');
  const input = Readable.from([...bytes].map((byte) => Buffer.from([byte])));
  const { stderr } = await runPetstore(['stock', 'take', '-'], { env, input });
  expect(stderr).toContain('it has "käfig"');
});
