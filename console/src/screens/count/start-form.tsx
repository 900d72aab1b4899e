import { useEffect, useRef, useState } from 'preact/hooks';
import { isPaused } from '../../api/limits.ts';
import { useQuery } from '../../api/query.ts';
import { noteSessionEnd } from '../../api/session.ts';
import { categoriesQuery } from '../../api/shared-queries.ts';
import { sayError } from '../../parts/say-error.ts';
import { Button } from '../../ui/button.tsx';
import { Choice, SelectField, TextField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { catalogueWords } from '../../words/catalogue.ts';
import { countWords as words } from '../../words/count.ts';
import { beginCount } from './counting.ts';
import { ROWS_MAX, readRows } from './read-rows.ts';

type Scope = 'all' | 'category' | 'search';

/** Chooses what is counted, and reads it. */
export function StartForm() {
  const [scope, setScope] = useState<Scope>('all');
  const [categoryId, setCategoryId] = useState('');
  const [search, setSearch] = useState('');
  const [error, setError] = useState<string | undefined>(undefined);
  const [rows, setRows] = useState<number | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const categories = useQuery(categoriesQuery).data?.items ?? [];
  const q = search.trim();
  const title =
    scope === 'all'
      ? words.titles.all
      : scope === 'search'
        ? words.titles.search(q)
        : (categories.find(({ id }) => String(id) === categoryId)?.name ?? '');
  const read = async () => {
    const controller = new AbortController();
    running.current = controller;
    setRows(0);
    try {
      const filter = {
        ...(scope === 'category' && { categoryId: Number(categoryId) }),
        ...(scope === 'search' && { q }),
      };
      const found = await readRows(filter, setRows, controller.signal);
      if (found.length === 0) setError(words.noPets);
      else if (found.length > ROWS_MAX) setError(words.tooMany(ROWS_MAX));
      else beginCount(title, found);
    } catch (err) {
      if (controller.signal.aborted) return;
      noteSessionEnd(err);
      sayError(err);
    } finally {
      setRows(undefined);
    }
  };
  const submit = () => {
    const missing =
      scope === 'category' && categoryId === ''
        ? words.needsCategory
        : scope === 'search' && q === ''
          ? words.needsSearch
          : undefined;
    setError(missing);
    if (missing === undefined) void read();
  };
  return (
    <Form class="card stack" onSubmit={submit}>
      <div class="stack tight">
        <p class="strong">{words.what}</p>
        <Choice
          label={words.what}
          value={scope}
          options={Object.entries(words.scopes)}
          onChange={(value) => {
            setScope(value as Scope);
            setError(undefined);
          }}
        />
      </div>
      {scope === 'category' && (
        <SelectField
          label={words.category}
          value={categoryId}
          options={[
            ['', catalogueWords.choose],
            ...categories.map(({ id, name }) => [String(id), name] as const),
          ]}
          onChange={setCategoryId}
        />
      )}
      {scope === 'search' && (
        <TextField label={words.search} value={search} onInput={setSearch} maxLength={200} />
      )}
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <footer class="actions">
        <Button type="submit" look="primary" isBusy={rows !== undefined}>
          {rows === undefined ? words.begin : words.loading(rows, isPaused.value)}
        </Button>
      </footer>
    </Form>
  );
}
