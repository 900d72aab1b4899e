// A tool that has a folder and a process when it is interrupted.

import { spawn } from 'node:child_process';
import { endingWithParent, endOnSignals } from '../../server/test/support/child-processes.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';

endOnSignals();
const { path } = temporaryFolder('petstore-interrupted-');
const forever = 'setInterval(() => {}, 1000)';
const [program, ...args] = endingWithParent([process.execPath, '-e', forever], 'SIGKILL');
const { pid } = spawn(program, args, { stdio: 'ignore' });
console.log(JSON.stringify({ path, pid }));
