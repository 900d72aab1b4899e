import type { BatchResult } from '@petstore/client';
import { useRef } from 'preact/hooks';
import { invalidate } from '../../../api/query.ts';
import { store } from '../../../api/store.ts';
import { useWrite } from '../../../api/write.ts';
import { useKept } from '../../../parts/form/form-footer.tsx';
import { WriteState } from '../../../parts/form/write-state.tsx';
import { Button } from '../../../ui/button.tsx';
import { importWords as words } from '../../../words/catalogue.ts';
import { controlWords } from '../../../words/controls.ts';
import { costOf, type PetFile, type PetRow } from './pet-rows.ts';
import { RowsTable } from './rows-table.tsx';

const SHOWN = 6;

interface ImportFormProps {
  file: PetFile;
  onDone: (done: { rows: PetRow[]; result: BatchResult }) => void;
  onClose: () => void;
}

/** What the file holds, what it costs, and the button that sends it. */
export function ImportForm({ file: { rows, ignored, missing }, onDone, onClose }: ImportFormProps) {
  const pets = rows.flatMap(({ pet }) => (pet ? [pet] : []));
  const problems = rows.filter(({ problem }) => problem !== undefined);
  /** The ids of the categories that were created, by name. */
  const ids = useRef(new Map<string, number>()).current;
  const write = useWrite<typeof pets, BatchResult>({
    operation: 'createPets',
    rowsOf: (rows) => rows.length,
    send: async (batch, idempotencyKey) => {
      await createCategories(missing, ids, idempotencyKey);
      const pets = batch.map((pet) => ({ ...pet, categoryId: idOf(pet.categoryId, ids) }));
      return store.pets.createMany({ pets, mode: 'each' }, { idempotencyKey });
    },
    onDone: () => {
      if (missing.length > 0) invalidate('listCategories');
    },
    goOn: (result) => onDone({ rows, result }),
  });
  const isSending = write.state === 'sending';
  useKept(write, pets);
  // Rows with a problem come first, so that they are seen before anything is sent.
  const preview = [...problems, ...rows.filter(({ problem }) => problem === undefined)];
  return (
    <div class="stack">
      <p>
        <strong>{words.ready(pets.length, costOf(pets.length) + missing.length)}</strong>
      </p>
      {problems.length > 0 && <p class="text-bad">{words.skipped(problems.length)}</p>}
      {missing.length > 0 && (
        <p class="hint">{words.newCategories(missing.length, missing.join(', '))}</p>
      )}
      {ignored.length > 0 && <p class="hint">{words.ignored(ignored.join(', '))}</p>}
      <RowsTable
        label={rows.length > SHOWN ? words.first(SHOWN, rows.length) : words.allShown(rows.length)}
        rows={preview.slice(0, SHOWN)}
        isWithProblems={problems.length > 0}
      />
      <WriteState write={write} />
      <footer class="actions" data-sending={isSending || undefined}>
        <Button isBusy={isSending} onClick={onClose}>
          {controlWords.cancel}
        </Button>
        <Button
          look="primary"
          icon="upload"
          offReason={pets.length === 0 ? words.skipped(problems.length) : undefined}
          isBusy={write.state !== 'idle'}
          onClick={() => write.run(pets)}
        >
          {isSending ? words.sending : words.submit(pets.length)}
        </Button>
      </footer>
    </div>
  );
}

/**
 * Adds the ids of the categories that it creates, by name. Sent again under the same key, it creates none twice. It goes on
 * behind those that it has created, so a minute after which it is sent again brings it forward.
 */
async function createCategories(
  names: readonly string[],
  ids: Map<string, number>,
  key: string,
): Promise<void> {
  for (const [index, name] of names.entries()) {
    if (ids.has(name.toLowerCase())) continue;
    const options = { idempotencyKey: `${key}-${index}` };
    const { id } = await store.categories.create({ name }, options);
    ids.set(name.toLowerCase(), id);
  }
}

function idOf(category: number | string, ids: ReadonlyMap<string, number>): number {
  return typeof category === 'number' ? category : ids.get(category.toLowerCase())!;
}
