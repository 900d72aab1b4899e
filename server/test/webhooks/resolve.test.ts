import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openAgents, Sender } from '../../src/webhooks/sender.ts';
import { HostUnknown, systemResolve, TargetRefused, Targets } from '../../src/webhooks/target.ts';
import { startNameServer } from './name-server.ts';
import { rawReceiver } from './receivers.ts';

const PUBLIC = '93.184.216.34';
const PUBLIC_V6 = '2606:2800:220:1:248:1893:25c8:1946';

const zones = {
  'both.example': { A: [PUBLIC], AAAA: [PUBLIC_V6] },
  'six.example': { AAAA: [PUBLIC_V6] },
  'mixed.example': { A: [PUBLIC, '127.0.0.1'] },
  'mixed-six.example': { A: [PUBLIC], AAAA: ['0:0:0:0:0:0:0:1'] },
  'alias.example': { alias: 'localhost', A: ['127.0.0.1'] },
  'nowhere.example': { failure: 'NXDOMAIN' },
  'empty.example': {},
  'broken.example': { failure: 'SERVFAIL' },
  'silent.example': { failure: 'silence' },
} as const;

describe('a host name', () => {
  it('has the addresses of both families, or of the one that it has', async () => {
    const resolve = systemResolve([await startNameServer(zones)]);
    expect(await resolve('both.example')).toEqual([PUBLIC, PUBLIC_V6]);
    expect(await resolve('six.example')).toEqual([PUBLIC_V6]);
  });

  it.each(['mixed.example', 'mixed-six.example', 'alias.example'])(
    '%s is refused for the one address that is not public, and is not connected to',
    async (host) => {
      const canary = await rawReceiver(() => undefined);
      const targets = new Targets([], systemResolve([await startNameServer(zones)]));
      const url = `https://${host}:${canary.port}/`;
      await expect(targets.addressesOf(targets.parse(url))).rejects.toThrow(TargetRefused);
      const agents = openAgents();
      const { outcome } = await new Sender(targets).send({ url, headers: {}, body: '', agents });
      agents.close();
      expect(outcome).toBe('address_refused');
      expect(canary.connections).toBe(0);
    },
  );

  it.each(['nowhere.example', 'empty.example'])('%s has no address', async (host) => {
    const targets = new Targets([], systemResolve([await startNameServer(zones)]));
    const asked = targets.addressesOf(targets.parse(`https://${host}/`));
    await expect(asked).rejects.toThrow(HostUnknown);
  });

  it('of a name server that fails is not mistaken for one without addresses', async () => {
    const resolve = systemResolve([await startNameServer(zones)]);
    await expect(resolve('broken.example')).rejects.toThrow('ESERVFAIL');
  });

  it('that no name server answers for is given up, and 500 of them hold up nothing else', async () => {
    const targets = new Targets([], systemResolve([await startNameServer(zones)]));
    const sender = new Sender(targets);
    const ended: string[] = [];
    const sends = Array.from({ length: 500 }, async () => {
      const agents = openAgents();
      const url = 'https://silent.example/';
      const { outcome } = await sender.send({ url, headers: {}, body: '', agents });
      agents.close();
      ended.push(outcome);
    });
    // Files are read by the threads that dns.lookup would occupy.
    for (let reads = 0; reads < 20; reads++) {
      await stat('package.json');
      expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
    }
    await Promise.all(sends);
    expect(ended).toHaveLength(500);
    expect(new Set(ended).isSubsetOf(new Set(['timeout', 'connection']))).toBe(true);
  });
});
