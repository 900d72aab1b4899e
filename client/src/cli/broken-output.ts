interface Output {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

const EXIT_FAILED = 1;

/** Ends the process if its output cannot be written. Messages that cannot be written are dropped: what was done stays. */
export function handleBrokenOutput({ stdout, stderr }: Output): void {
  stderr.on('error', () => {});
  stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // The reader of a pipe may have seen enough: `petstore pets list --all | head`.
    if (code === 'EPIPE') process.exit();
    stderr.write(`petstore: standard output cannot be written: ${message}\n`);
    process.exit(EXIT_FAILED);
  });
}
