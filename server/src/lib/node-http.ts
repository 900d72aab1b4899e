// `import … from 'node:http'` evaluates all that the module exports, a WebSocket client among it, which lengthens
// every start. `process.getBuiltinModule` loads the module alone.

export const {
  Agent,
  METHODS,
  STATUS_CODES,
  createServer,
  request,
  validateHeaderName,
  validateHeaderValue,
} = process.getBuiltinModule('node:http');
