import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgents, Sender } from '../../src/webhooks/sender.ts';
import { HostUnknown, type Resolve, TargetRefused, Targets } from '../../src/webhooks/target.ts';
import { disguisedHosts, localNames, refusedUrls } from './disguised-addresses.ts';

/** Listens on loopback of both families, and counts who comes. */
class Canary {
  readonly #servers: Server[] = [];
  connections = 0;
  port = 0;

  async listen(): Promise<void> {
    for (const host of ['127.0.0.1', '::1']) {
      const server = createServer((socket) => {
        this.connections += 1;
        socket.on('error', () => undefined);
        socket.destroy();
      });
      server.listen(this.port, host);
      await once(server, 'listening');
      this.port = (server.address() as { port: number }).port;
      this.#servers.push(server);
    }
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }
}

const canary = new Canary();
beforeAll(() => canary.listen());
afterAll(() => canary.close());

const PUBLIC = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'];
const never: Resolve = async (host) => {
  throw new Error(`${host} was looked up`);
};
const to =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;

async function send(url: string, targets: Targets) {
  const limits = { totalMs: 2_000, connectMs: 2_000, responseBytesMax: 1_024 };
  const agents = openAgents();
  try {
    return (await new Sender(targets, { limits }).send({ url, headers: {}, body: '{}', agents }))
      .outcome;
  } finally {
    agents.close();
  }
}

function isRefused(url: string, targets: Targets): boolean {
  try {
    targets.parse(url);
    return false;
  } catch (err) {
    expect(err).toBeInstanceOf(TargetRefused);
    return true;
  }
}

describe('without exceptions', () => {
  it('more than 300 forms of forbidden addresses are refused, and none is connected to', async () => {
    const targets = new Targets([], never);
    expect(new Set(disguisedHosts).size).toBeGreaterThan(300);
    for (const host of disguisedHosts) {
      const url = `https://${host}:${canary.port}/`;
      expect(isRefused(url, targets), `${host} when the webhook is created`).toBe(true);
      expect(await send(url, targets), `${host} when something is sent`).toBe('address_refused');
    }
    expect(canary.connections).toBe(0);
  });

  it('names of this machine are refused by the addresses they have', async () => {
    for (const [at, name] of localNames.entries()) {
      const targets = new Targets([], to(at % 2 === 0 ? '127.0.0.1' : '::1'));
      expect(await send(`https://${name}:${canary.port}/`, targets), name).toBe('address_refused');
    }
    expect(canary.connections).toBe(0);
  });

  it('URLs that are not https on a permitted port to a plain host are refused', () => {
    const targets = new Targets([], never);
    const refused = refusedUrls.filter((url) => {
      if (isRefused(url, targets)) return true;
      return targets.parse(url).needsException;
    });
    expect(refused).toEqual(refusedUrls);
  });

  it('an http URL or a low port does not reach a public address either', async () => {
    const targets = new Targets([], to(...PUBLIC));
    for (const url of ['http://hooks.example/', 'https://hooks.example:22/']) {
      await expect(targets.addressesOf(targets.parse(url))).rejects.toThrow(/must be https/);
    }
  });

  it('public addresses are permitted, on 443, 8443 and above 1023', async () => {
    const targets = new Targets([], to(...PUBLIC));
    for (const port of ['', ':443', ':8443', ':1024', ':65535']) {
      const target = targets.parse(`https://Hooks.Example.${port}/a?b=c`);
      expect(target.host).toBe('hooks.example');
      expect(await targets.addressesOf(target)).toEqual(PUBLIC);
    }
    expect(targets.parse('https://1.1.1.1/').host).toBe('1.1.1.1');
    expect(targets.parse('https://[2606:4700::1111]/').host).toBe('2606:4700::1111');
    expect(targets.parse(`https://hooks.example/${'a'.repeat(1_978)}`).url.href).toHaveLength(
      2_000,
    );
  });

  it('a host with one address that is not public is refused as a whole', async () => {
    for (const hidden of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:127.0.0.1', 'fe80::1']) {
      const targets = new Targets([], to(...PUBLIC, hidden));
      const target = targets.parse('https://hooks.example/');
      await expect(targets.addressesOf(target)).rejects.toThrow(TargetRefused);
    }
  });

  it('a host without addresses is unknown', async () => {
    const targets = new Targets([], to());
    const target = targets.parse('https://hooks.example/');
    await expect(targets.addressesOf(target)).rejects.toThrow(HostUnknown);
    expect(await send('https://hooks.example/', targets)).toBe('connection');
  });

  it('a name that changes its mind between check and connection reaches nothing', async () => {
    const answers = [PUBLIC, ['127.0.0.1']];
    const targets = new Targets([], async () => answers.shift() ?? ['127.0.0.1']);
    const url = `https://rebind.example:${canary.port}/`;
    await targets.addressesOf(targets.parse(url));
    expect(await send(url, targets)).toBe('address_refused');
    expect(canary.connections).toBe(0);
  });

  it('an answer of the resolver that is no address is refused', async () => {
    const targets = new Targets([], to('localhost'));
    expect(await send(`https://odd.example:${canary.port}/`, targets)).toBe('address_refused');
    expect(canary.connections).toBe(0);
  });
});

describe('with exceptions', () => {
  const permits = async (exceptions: string[], url: string, addresses: string[] = []) => {
    const targets = new Targets(exceptions, to(...addresses));
    try {
      await targets.addressesOf(targets.parse(url));
      return true;
    } catch (err) {
      expect(err).toBeInstanceOf(TargetRefused);
      return false;
    }
  };

  it('exactly what is listed is permitted, over http and on every port too', async () => {
    const list = ['127.0.0.0/8', '10.1.2.3', 'fd00::/8', '::1'];
    const permitted = [
      'http://127.0.0.1:80/',
      'http://127.255.0.1:22/',
      'https://2130706433/',
      'http://10.1.2.3/',
      'http://[::ffff:10.1.2.3]/',
      'http://[fd12::1]:1/',
      'http://[::1]:8080/',
    ];
    const refused = [
      'http://128.0.0.1/',
      'http://10.1.2.4/',
      'https://10.1.2.2/',
      'http://[fc00::1]/',
      'http://[::2]/',
      'https://192.168.0.1/',
      'https://169.254.169.254/',
    ];
    for (const url of permitted) expect(await permits(list, url), url).toBe(true);
    for (const url of refused) expect(await permits(list, url), url).toBe(false);
  });

  it('a range of IPv6 forms permits the IPv4 addresses that they stand for', async () => {
    const list = ['::ffff:10.0.0.0/104', '0:0:0:0:0:ffff:c0a8:0/112'];
    for (const host of ['10.255.0.1', '192.168.7.7', '[::ffff:10.1.2.3]']) {
      expect(await permits(list, `http://${host}/`), host).toBe(true);
    }
    for (const host of ['11.0.0.1', '192.169.0.1', '[::1]']) {
      expect(await permits(list, `http://${host}/`), host).toBe(false);
    }
  });

  it('a listed name is permitted whatever its addresses, and no other name is', async () => {
    const list = ['hooks.internal'];
    const inside = ['10.0.0.9', 'fd00::9'];
    expect(await permits(list, 'http://hooks.internal:81/', inside)).toBe(true);
    expect(await permits(list, 'http://HOOKS.internal./', inside)).toBe(true);
    expect(await permits(list, 'https://hooks.internal.example/', inside)).toBe(false);
    expect(await permits(list, 'https://a.hooks.internal/', inside)).toBe(false);
    expect(await permits(list, 'https://10.0.0.9/')).toBe(false);
  });

  it('a name is permitted when each of its addresses is', async () => {
    const list = ['10.1.0.0/16'];
    expect(await permits(list, 'http://any.example/', ['10.1.0.1', '10.1.0.2'])).toBe(true);
    expect(await permits(list, 'http://any.example/', ['10.1.0.1', '10.2.0.1'])).toBe(false);
    expect(await permits(list, 'http://any.example/', ['10.1.0.1', PUBLIC[0]!])).toBe(false);
    expect(await permits(list, 'https://any.example/', ['10.1.0.1', PUBLIC[0]!])).toBe(true);
  });
});
