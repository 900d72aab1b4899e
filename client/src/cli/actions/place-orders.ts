import { type NewOrder, type OrderBatchResult, Orders } from '../../contract.ts';
import { PetstoreError } from '../../errors.ts';
import {
  type Arguments,
  type OperationCommand,
  type Terminal,
  UnknownOutcomeError,
  UsageError,
} from '../command.ts';
import { operationCommands } from '../commands.ts';
import { connect } from '../connection.ts';
import { units } from '../operation/done.ts';
import { bodyOf, writeOptionsOf } from '../operation/operation-request.ts';
import { runParsed } from '../operation/run-operation.ts';
import { fieldsIn, formatIn, isJson, printRows } from '../output.ts';
import { PetIds } from './pet-ids.ts';

interface Line {
  /** As it was typed. */
  pet: string;
  quantity: number;
}

const placeOrder = operationCommands.find(({ operation }) => operation === 'placeOrder')!;

/** Places one order, or all orders of several lines together: `orders place --pet Rex --line 7=2 --customer Ann`. */
export async function placeOrders(args: Arguments, terminal: Terminal): Promise<void> {
  const lines = linesIn(args);
  const flags = new Map(args.flags);
  flags.delete('pet');
  flags.delete('line');
  if (lines.length === 0) return runParsed(placeOrder, { words: [], flags }, terminal);
  fieldsIn(args, placeOrder.columns);
  const { transport, writes } = connect(args, terminal);
  const pets = new PetIds(transport, terminal.signal);
  const ids: number[] = [];
  for (const { pet } of lines) ids.push(await pets.find(pet));
  flags.set('pet-id', [String(ids[0])]).set('quantity', [String(lines[0]!.quantity)]);
  const parsed = { words: [], flags };
  if (lines.length === 1) return runParsed(placeOrder, parsed, terminal);
  const format = formatIn(args, terminal);
  const shared = (await bodyOf(placeOrder, parsed, terminal)) as unknown as NewOrder;
  const orders = lines.map(({ quantity }, at) => ({ ...shared, petId: ids[at]!, quantity }));
  const options = writeOptionsOf(parsed, terminal);
  const result = await new Orders(transport)
    .placeMany({ orders, mode: 'all' }, options)
    .catch((err: unknown) => {
      nameLine(err, lines, terminal);
      throw writes.isUnknown ? new UnknownOutcomeError(err, options.idempotencyKey) : err;
    });
  print(result, placeOrder, args, terminal);
  if (args.flags.has('quiet') || isJson(format)) return;
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const done = args.flags.has('dry-run')
    ? 'Dry run: it would be done; nothing was changed.'
    : `${lines.length} orders placed; ${units(count)} ${shared.complete ? 'sold' : 'reserved'}.`;
  terminal.stderr.write(`${done}\n`);
}

function linesIn({ flags }: Arguments): Line[] {
  const pet = flags.get('pet')?.[0] ?? flags.get('pet-id')?.[0];
  if (flags.has('pet') && flags.has('pet-id')) {
    throw new UsageError('give --pet or --pet-id, not both');
  }
  const more = (flags.get('line') ?? []).map((text) => {
    const at = text.lastIndexOf('=');
    if (at < 1) throw new UsageError(`--line ${text}: it is PET=QUANTITY, for example --line 7=2`);
    return { pet: text.slice(0, at), quantity: quantityOf('line', text.slice(at + 1)) };
  });
  if (pet === undefined && more.length > 0 && flags.has('quantity')) {
    throw new UsageError('--quantity is that of --pet; a --line has its own');
  }
  // Without --pet and --line, it is the operation as it stands.
  if (more.length === 0 && !flags.has('pet')) return [];
  const quantity = quantityOf('quantity', flags.get('quantity')?.[0] ?? '1');
  return [...(pet === undefined ? [] : [{ pet, quantity }]), ...more];
}

function quantityOf(flag: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${flag}: the quantity must be an integer above 0`);
}

/** Names the line that the service refused them all for. */
function nameLine(err: unknown, lines: readonly Line[], { stderr }: Terminal): void {
  const { index } = (err instanceof PetstoreError ? (err.details ?? {}) : {}) as { index?: number };
  const line = index === undefined ? undefined : lines[index];
  if (line)
    stderr.write(`petstore: no order is placed, because of ${line.quantity} of ${line.pet}\n`);
}

function print(
  result: OrderBatchResult,
  { columns }: OperationCommand,
  args: Arguments,
  terminal: Terminal,
): void {
  const format = formatIn(args, terminal);
  // A dry run has no orders.
  const records = result.results.flatMap(({ order }) => (order ? [{ ...order }] : []));
  if (format === 'json') terminal.stdout.write(`${JSON.stringify(result)}\n`);
  else if (records.length > 0) printRows({ records, columns }, format, args, terminal);
}
