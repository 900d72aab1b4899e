import type { BatchResult } from '@petstore/client';
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

export interface ImportFormProps {
  file: PetFile;
  onDone: (done: { rows: PetRow[]; result: BatchResult }) => void;
  onClose: () => void;
}

/** What the file holds, what it costs, and the button that sends it. */
export function ImportForm({ file: { rows, ignored }, onDone, onClose }: ImportFormProps) {
  const pets = rows.flatMap(({ pet }) => (pet ? [pet] : []));
  const problems = rows.filter(({ problem }) => problem !== undefined);
  const write = useWrite<typeof pets, BatchResult>({
    operation: 'createPets',
    send: (batch, idempotencyKey) =>
      store.pets.createMany({ pets: batch, mode: 'each' }, { idempotencyKey }),
    goOn: (result) => onDone({ rows, result }),
  });
  const isSending = write.state === 'sending';
  useKept(write, pets);
  // Rows with a problem come first, so that they are seen before anything is sent.
  const preview = [...problems, ...rows.filter(({ problem }) => problem === undefined)];
  return (
    <div class="stack">
      <p>
        <strong>{words.ready(pets.length, costOf(pets.length))}</strong>
      </p>
      {problems.length > 0 && <p class="text-bad">{words.skipped(problems.length)}</p>}
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
