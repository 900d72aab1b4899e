import { type Order, Orders } from '../../contract.ts';
import { type Arguments, type Terminal, UsageError } from '../command.ts';
import { connect } from '../connection.ts';
import { petNames } from '../operation/names.ts';
import { dueQuery } from '../operation/operation-request.ts';
import { fieldsIn, formatIn, printRows } from '../output.ts';

const PER_PAGE = 100;
/** A list that people carry around has no more orders than this. */
const ORDERS_MAX = 5_000;
const COLUMNS = ['petId', 'pet', 'quantity', 'orders'];

// A type, not an interface: a row of a table has any fields.
type Pick = { petId: number; pet: string; quantity: number; orders: string; of: Order[] };

/** What to take from the shelves for the open orders, by pet: `petstore orders pick-list --due today -o html`. */
export async function pickList(args: Arguments, terminal: Terminal): Promise<void> {
  const { flags } = args;
  const format = formatIn(args, terminal, ['html']);
  fieldsIn(args, COLUMNS);
  const due = dueQuery(flags.get('due')?.[0]);
  const { transport } = connect(args, terminal);
  const { signal } = terminal;
  const q = flags.get('q')?.[0];
  const query = { complete: false, ...due, ...(q === undefined ? {} : { q }), limit: PER_PAGE };
  const list = new Orders(transport).list(query, { signal });
  const orders = await list.toArray({ limit: ORDERS_MAX + 1 });
  if (orders.length > ORDERS_MAX) {
    const most = ORDERS_MAX.toLocaleString('en');
    throw new UsageError(`more than ${most} orders are open: pass --due or --q for fewer`);
  }
  const byPet = new Map<number, Order[]>();
  for (const order of orders) {
    const of = byPet.get(order.petId);
    if (of) of.push(order);
    else byPet.set(order.petId, [order]);
  }
  const names = new Map<unknown, string>();
  const ids = [...byPet.keys()];
  for (let at = 0; at < ids.length; at += PER_PAGE) {
    const found = await petNames(ids.slice(at, at + PER_PAGE), transport, signal);
    for (const [id, name] of found) names.set(id, name);
  }
  const picks = [...byPet]
    .map(([petId, of]) => pickOf(petId, names.get(petId) ?? '', of))
    .sort((a, b) => a.pet.localeCompare(b.pet) || a.petId - b.petId);
  if (format === 'html') terminal.stdout.write(htmlOf(picks, orders.length));
  else {
    const records = picks.map(({ of: _, ...row }) => row);
    printRows({ records, columns: COLUMNS }, format, args, terminal);
  }
}

function pickOf(petId: number, pet: string, of: Order[]): Pick {
  const quantity = of.reduce((sum, order) => sum + order.quantity, 0);
  return { petId, pet, quantity, orders: of.map(orderText).join('; '), of };
}

/** `178: 2 (A-17, Ann Lee)` */
function orderText({ id, quantity, reference, customer }: Order): string {
  const whose = [reference, customer].filter(Boolean).join(', ');
  return `${id}: ${quantity}${whose ? ` (${whose})` : ''}`;
}

/** A page to print, which needs nothing else: no script, no font, no picture. */
function htmlOf(picks: readonly Pick[], orders: number): string {
  const rows = picks.map(
    ({ petId, pet, quantity, of }) =>
      `<tr><td class="box"></td><td class="count">${quantity}</td><td>${escaped(pet)} <small>${petId}</small></td><td>${of
        .map((order) => escaped(orderText(order)))
        .join('<br>')}</td></tr>\n`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pick list</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 2em; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #999; padding: 6px 10px; text-align: left; vertical-align: top; }
.count { text-align: right; font-weight: bold; }
.box::before { content: ""; display: inline-block; width: 1em; height: 1em; border: 1px solid; }
tr { break-inside: avoid; }
thead { display: table-header-group; }
</style>
<h1>Pick list</h1>
<p>${new Date().toLocaleString('en-GB')}: ${orders} open ${orders === 1 ? 'order' : 'orders'}</p>
<table>
<thead><tr><th></th><th class="count">Units</th><th>Pet</th><th>Orders</th></tr></thead>
<tbody>
${rows.join('')}</tbody>
</table>
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
