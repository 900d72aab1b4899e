// The baseline: node:http that sends given bytes and does nothing else.

import { createServer } from 'node:http';

const { status, headers, body } = JSON.parse(process.env.BARE_ANSWER ?? '{}') as {
  status: number;
  headers: [string, string][];
  body: string;
};

const flat = headers.flat();
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(status, flat);
    response.end(body);
    return;
  }
  request.on('data', () => undefined);
  request.on('end', () => {
    response.writeHead(status, flat);
    response.end(body);
  });
});
process.on('SIGINT', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`ready ${typeof address === 'object' ? address?.port : 0}\n`);
});
