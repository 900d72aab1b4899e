import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runPetstore } from '../support/run-petstore.ts';

async function helpOf(line: string): Promise<string> {
  const { code, stdout, stderr } = await runPetstore(line.split(' '), { env: {} });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe('help', () => {
  it('is the same, however it is asked for', async () => {
    for (const name of ['pets list', 'stock take', 'stock', 'account keys']) {
      const shown = await helpOf(`help ${name}`);
      expect(shown).toContain(`Usage: petstore ${name}`);
      for (const line of [`${name} --help`, `${name} -h`, `--help ${name}`, `-h ${name}`]) {
        expect(await helpOf(line)).toBe(shown);
      }
    }
    expect(await helpOf('orders get 5 --json --help')).toContain('Usage: petstore orders get');
  });

  it('of a group lists all of its commands', async () => {
    expect(await helpOf('help stock')).toMatch(/^ {2}stock take +Set the stock/m);
  });
});

describe('what looks like an option', () => {
  async function sentBy(args: string[]): Promise<string[]> {
    const sent: string[] = [];
    const server = createServer(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += String(chunk);
      sent.push(`${req.method} ${req.url} ${body}`.trim());
      res.end(req.method === 'GET' ? '[]' : '{}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    const env = { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: url };
    const { code, stderr } = await runPetstore(args, { env });
    expect([code, stderr]).toEqual([0, '']);
    return sent;
  }

  it('is the value of the option before it', async () => {
    expect(await sentBy(['pets', 'list', '--name', '-h'])).toEqual(['GET /v1/pets?name=-h']);
    expect(await sentBy(['pets', 'list', '--name', '--help'])).toEqual([
      'GET /v1/pets?name=--help',
    ]);
  });

  it('is a word after --, where a command keeps what it always sends', async () => {
    expect(await sentBy(['orders', 'complete', '--', '5'])).toEqual([
      'PATCH /v1/store/orders/5 {"complete":true}',
    ]);
    expect(await sentBy(['orders', 'complete', '--', '-h'])).toEqual([
      'PATCH /v1/store/orders/-h {"complete":true}',
    ]);
  });
});
