// What the image's HEALTHCHECK runs: 0 when the process answers, 1 when it does not. There is no curl in the image.
import { get } from 'node:http';

const port = process.env.PETSTORE_PORT ?? '8080';
const request = get({ host: '127.0.0.1', port, path: '/healthz', timeout: 2_000 }, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1);
});
request.on('error', () => process.exit(1));
request.on('timeout', () => process.exit(1));
