import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAgents, SEND_LIMITS, Sender, type SendLimits } from '../../src/webhooks/sender.ts';
import { Targets } from '../../src/webhooks/target.ts';
import { httpReceiver, rawAnswer, rawReceiver } from './receivers.ts';

const LOOPBACK = ['127.0.0.0/8'];
/** For receivers that would keep us for ever: the deadline is what is tested. */
const SHORT: SendLimits = { totalMs: 500, connectMs: 400, responseBytesMax: 64 * 1024 };
const body = JSON.stringify({ type: 'pet.created', data: { name: 'Zoë 🐕' } });

function newSender(limits: SendLimits = SEND_LIMITS) {
  const resolve = async () => ['127.0.0.1'];
  const sender = new Sender(new Targets(LOOPBACK, resolve), { limits });
  const agents = openAgents();
  onTestFinished(() => agents.close());
  const send = (url: string, text = body) =>
    sender.send({ url, headers: { 'content-type': 'application/json' }, body: text, agents });
  return Object.assign(send, { agents });
}

describe('a delivery', () => {
  it('is one POST with the body byte for byte', async () => {
    const receiver = await httpReceiver((_, response) => response.writeHead(204).end());
    const result = await newSender()(`${receiver.url}?a=b`);
    expect(result).toMatchObject({ outcome: 'delivered', status: 204, responseBody: '' });
    expect(receiver.received).toMatchObject([{ method: 'POST', path: '/hooks?a=b', body }]);
    expect(receiver.received[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'accept-encoding': 'identity',
    });
  });

  it('goes over one connection that is kept open', async () => {
    const receiver = await httpReceiver((_, response) => response.end('ok'));
    const send = newSender();
    for (let at = 0; at < 5; at++) expect((await send(receiver.url)).outcome).toBe('delivered');
    expect(receiver.connections).toBe(1);
  });

  it('takes a new connection when the receiver has closed the one that was kept open', async () => {
    let count = 0;
    const receiver = await rawReceiver((socket) => {
      socket.on('data', () => {
        count += 1;
        // The second request on a connection meets a socket that is being closed.
        if (count === 2) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    const send = newSender();
    expect((await send(receiver.url)).outcome).toBe('delivered');
    expect((await send(receiver.url)).outcome).toBe('delivered');
    expect(receiver.connections).toBe(2);
  });

  it('is not sent again when its agents are closed', async () => {
    const receiver = await httpReceiver((_, response) => {
      if (receiver.received.length === 2) send.agents.close();
      else response.end('ok');
    });
    const send = newSender();
    expect((await send(receiver.url)).outcome).toBe('delivered');
    expect((await send(receiver.url)).outcome).toBe('connection');
    expect(receiver.received).toHaveLength(2);
    expect(receiver.connections).toBe(1);
  });

  it.each([200, 201, 202, 204, 299])('is delivered by %i', async (status) => {
    const receiver = await httpReceiver((_, response) => response.writeHead(status).end());
    expect(await newSender()(receiver.url)).toMatchObject({ outcome: 'delivered', status });
  });

  it.each([300, 304, 400, 404, 410, 500, 503, 999])('is failed by %i', async (status) => {
    const receiver = await rawAnswer(`HTTP/1.1 ${status} Odd\r\nContent-Length: 3\r\n\r\nno!`);
    expect(await newSender()(receiver.url)).toMatchObject({ outcome: 'status', status });
  });

  it('follows no redirect', async () => {
    const canary = await httpReceiver((_, response) => response.end());
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await httpReceiver((_, response) =>
        response.writeHead(status, { location: canary.url }).end(),
      );
      expect(await newSender()(receiver.url)).toMatchObject({ outcome: 'status', status });
    }
    expect(canary.connections).toBe(0);
  });

  it('waits for the real answer behind 1xx, until its time is over', async () => {
    const informed = await rawAnswer(
      'HTTP/1.1 199 Hm\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    );
    expect(await newSender()(informed.url)).toMatchObject({ outcome: 'delivered', status: 200 });
    const only = await rawReceiver((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 199 Hm\r\n\r\n')),
    );
    expect((await newSender(SHORT)(only.url)).outcome).toBe('timeout');
  });

  it('is failed by 101, whose connection is used for nothing else', async () => {
    const head =
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n';
    const receiver = await rawReceiver((socket) =>
      socket.on('data', () => socket.write(`${head}\r\nno HTTP`)),
    );
    const send = newSender();
    for (let connections = 1; connections <= 3; connections++) {
      expect(await send(receiver.url)).toMatchObject({ outcome: 'status', status: 101 });
      expect(receiver.connections).toBe(connections);
    }
  });

  it('is delivered by 204 with a body that must not be there, and so is the next', async () => {
    const receiver = await rawReceiver((socket) =>
      socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\nsurprise')),
    );
    const send = newSender();
    for (let at = 0; at < 3; at++) {
      expect(await send(receiver.url)).toMatchObject({ outcome: 'delivered', status: 204 });
    }
  });

  it.each([
    ['0', 1_000],
    ['5', 5_000],
    ['3600', 3_600_000],
    ['1000000000', 3_600_000],
    ['-1', undefined],
    ['abc', undefined],
    ['1.5', undefined],
    ['', undefined],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 1_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
    ['9999-12-31', undefined],
  ])('reads Retry-After: %s as %s ms', async (text, milliseconds) => {
    const receiver = await httpReceiver((_, response) =>
      response.writeHead(429, { 'retry-after': text }).end(),
    );
    const result = await newSender()(receiver.url);
    expect(result).toMatchObject({ outcome: 'status', status: 429 });
    expect(result.retryAfterMs).toBe(milliseconds);
  });

  it('fails without a connection', async () => {
    expect((await newSender()('http://127.0.0.1:1/')).outcome).toBe('connection');
  });
});

describe('a hostile receiver', () => {
  it('that never answers, or drips a byte at a time, has until the deadline', async () => {
    const drip = (text: string) => (socket: import('node:net').Socket) => {
      let at = 0;
      const timer = setInterval(() => socket.write(text[at++ % text.length]!), 20);
      socket.on('close', () => clearInterval(timer));
    };
    const kinds = {
      silence: await rawReceiver(() => undefined),
      'drip of a status line': await rawReceiver(drip('HTTP/1.1 200 OK'.padEnd(400, 'K'))),
      'headers without an end': await rawReceiver((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip('x: y\r\n')(socket);
      }),
      'half-open': await rawReceiver((socket) => socket.end()),
    };
    for (const [name, { url }] of Object.entries(kinds)) {
      const expected = name === 'half-open' ? 'connection' : 'timeout';
      expect((await newSender(SHORT)(url)).outcome, name).toBe(expected);
    }
  });

  it('that drips its body is judged by its status, at the deadline', async () => {
    for (const [status, outcome] of [
      [200, 'delivered'],
      [500, 'status'],
    ] as const) {
      const receiver = await rawReceiver((socket) => {
        socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 1000000\r\n\r\n`);
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(timer));
      });
      expect(await newSender(SHORT)(receiver.url)).toMatchObject({ outcome, status });
    }
  });

  it('that sends a head without bounds is cut off', async () => {
    const receiver = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = () => {
        while (socket.writable && socket.write(`x: ${'y'.repeat(8_000)}\r\n`));
      };
      socket.on('drain', more);
      more();
    });
    expect((await newSender()(receiver.url)).outcome).toBe('connection');
  });

  it('that sends a gigabyte is read up to 64 KiB', async () => {
    let written = 0;
    const receiver = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 500 Big\r\nContent-Length: 1000000000\r\n\r\n');
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const more = () => {
        while (socket.writable && written < 1e9) {
          written += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', more);
      more();
    });
    const result = await newSender()(receiver.url);
    expect(result).toMatchObject({ outcome: 'status', status: 500 });
    expect(result.responseBody).toHaveLength(64 * 1024);
    expect(written).toBeLessThan(100_000_000);
  });

  it('that sends a gzip bomb is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const receiver = await httpReceiver((_, response) =>
      response.writeHead(500, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const { responseBody } = await newSender()(receiver.url);
    expect(responseBody!.length).toBeLessThan(64 * 1024);
  });

  it('that resets the connection behind the status line has not answered', async () => {
    const receiver = await rawReceiver((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n', () => socket.resetAndDestroy());
      }),
    );
    expect((await newSender()(receiver.url)).outcome).toBe('connection');
  });

  it('that answers before it has read is taken at its word', async () => {
    const receiver = await rawReceiver((socket) => {
      socket.pause();
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    const big = JSON.stringify('x'.repeat(256 * 1024));
    expect(await newSender()(receiver.url, big)).toMatchObject({ outcome: 'status', status: 413 });
  });

  it('that is not HTTP fails the delivery', async () => {
    const receiver = await rawAnswer('220 mail.example ESMTP\r\n');
    expect((await newSender()(receiver.url)).outcome).toBe('connection');
  });
});
