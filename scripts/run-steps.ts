import { spawn } from 'node:child_process';

export interface Step {
  name: string;
  command: readonly [string, ...string[]];
  /** What to do if it fails. */
  remedy: string;
}

export interface Outcome {
  step: Step;
  passed: boolean;
  seconds: number;
  output: string;
}

interface ProcessOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Runs every step, `atOnce` at a time, even if others fail. Reports each when it ends. */
export async function runSteps(
  steps: readonly Step[],
  atOnce: number,
  options: ProcessOptions,
  report: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const waiting = [...steps];
  const outcomes: Outcome[] = [];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const outcome = await runStep(step, options);
      outcomes.push(outcome);
      report(outcome);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return outcomes;
}

async function runStep(step: Step, options: ProcessOptions): Promise<Outcome> {
  const startedAt = performance.now();
  const [program, ...args] = step.command;
  const chunks: Buffer[] = [];
  const passed = await new Promise<boolean>((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (err) => {
      chunks.push(Buffer.from(`${program} cannot be run: ${err.message}`));
      resolve(false);
    });
    child.on('close', (code) => resolve(code === 0));
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return { step, passed, seconds, output: Buffer.concat(chunks).toString('utf8').trim() };
}

/** One line for a step that passed. For one that failed, also its output and the remedy. */
export function outcomeText({ step, passed, seconds, output }: Outcome): string {
  const line = `${passed ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(18)} ${seconds.toFixed(1)} s`;
  return passed ? line : `${line}\n\n${output}\n\n  -> ${step.remedy}\n`;
}
