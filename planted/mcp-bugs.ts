import type { Bug } from './bug.ts';

/** Bugs of the tools for agents. */
export const mcpBugs: readonly Bug[] = [
  {
    name: 'a tool that is not listed can be called',
    file: 'server/src/mcp/endpoint.ts',
    find: 'return callOf(message, offered, selection);',
    replace: 'return callOf(message, tools, selection);',
    tests: ['mcp/access.test.ts'],
  },
  {
    name: 'a call of a tool is not metered',
    file: 'server/src/http/pipeline.ts',
    find: 'return [shedLoad(workload, connections), limit(limits)];',
    replace: 'return [shedLoad(workload, connections), () => void limits];',
    tests: ['mcp/access.test.ts'],
  },
  {
    name: 'messages that call no tool have no cap',
    file: 'server/src/http/mcp/register-mcp.ts',
    find: '    await chargeBucket(request, deps);\n',
    replace: '',
    tests: ['mcp/access.test.ts'],
  },
  {
    name: 'a page of any origin can send messages',
    file: 'server/src/http/steps/step.ts',
    find: 'origin === undefined || origins.includes(origin)',
    replace: 'origin !== null || origins.includes(origin)',
    tests: ['mcp/protocol.test.ts'],
  },
];
