import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Parses the arguments of a tool. If one is not understood, the process ends before anything runs. */
export function readOptions<T extends ParseArgsConfig>(
  config: T,
  help: string,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (err) {
    return refuse((err as Error).message, help);
  }
}

/** Says why nothing runs, and ends the process. */
export function refuse(why: string, help: string): never {
  process.stderr.write(`${why}\n\n${help}`);
  process.exit(2);
}
