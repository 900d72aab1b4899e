import { Code } from '../ui/code.tsx';
import { type CurlProps, curlText } from '../ui/curl.tsx';

/** Makes a record, and keeps its number in a variable of the shell. */
function kept(variable: string, request: CurlProps): string {
  const number = `grep -o '"id":[0-9]*' | head -n 1 | cut -d: -f2`;
  return `${variable}=$(${filled(request).replace('curl', 'curl -s')} |\n  ${number})`;
}

/** Variables stand outside the quotes, so that the shell fills them in. */
function filled(request: CurlProps): string {
  return curlText(request).replace(/"(\$\w+)"\}'/, `'$1'}'`);
}

/** Commands for a shell. The numbers of the records are not known before, so each takes that of the one before. */
function firstText(isOrdered: boolean): string {
  const category = { method: 'POST', path: '/categories', body: { name: 'Dogs' } };
  const pet = { method: 'POST', path: '/pets', body: { name: 'Rex', categoryId: '$category' } };
  const order = { method: 'POST', path: '/store/orders', body: { petId: '$pet' } };
  const rest = isOrdered ? [kept('pet', pet), filled(order)] : [filled(pet)];
  return [kept('category', category), ...rest].join('\n');
}

/** What to do first in an empty store. */
export function FirstPet({ isOrdered = false }: { isOrdered?: boolean }) {
  return <Code>{firstText(isOrdered)}</Code>;
}
