import type { BatchResult } from '@petstore/client';
import { useState } from 'preact/hooks';
import { useQuery } from '../../../api/query.ts';
import { categoriesQuery } from '../../../api/shared-queries.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { Code } from '../../../ui/code.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/fields/field.tsx';
import { importWords as words } from '../../../words/catalogue.ts';
import { ImportForm } from './import-form.tsx';
import { ImportResult } from './import-result.tsx';
import { type PetFile, type PetRow, readPets } from './pet-rows.ts';

const FILE_BYTES_MAX = 2 * 1024 * 1024;

interface Done {
  rows: PetRow[];
  result: BatchResult;
}

/** Creates pets from a file: choose it, look at it, send it, see what became of each row. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const categories = useQuery(categoriesQuery);
  /** As it was read when it was chosen: what is sent stays the same while its categories are created. */
  const [file, setFile] = useState<PetFile | string | undefined>(undefined);
  const [done, setDone] = useState<Done | undefined>(undefined);
  return (
    <Dialog title={words.title} subtitle={words.lead} width="wide" onClose={onClose}>
      {done ? (
        <ImportResult rows={done.rows} result={done.result} onClose={onClose} />
      ) : (
        <Loaded query={categories} rows={4}>
          {({ items }) => (
            <Choosing
              file={file}
              onText={(text) => setFile(text === undefined ? undefined : readPets(text, items))}
              onDone={setDone}
              onClose={onClose}
            />
          )}
        </Loaded>
      )}
    </Dialog>
  );
}

interface ChoosingProps {
  file: PetFile | string | undefined;
  onText: (text: string | undefined) => void;
  onDone: (done: Done) => void;
  onClose: () => void;
}

function Choosing({ file, onText, onDone, onClose }: ChoosingProps) {
  const [isTooLarge, setTooLarge] = useState(false);
  const choose = async (chosen: File | undefined) => {
    const isTooMuch = chosen !== undefined && chosen.size > FILE_BYTES_MAX;
    setTooLarge(isTooMuch);
    onText(chosen && !isTooMuch ? await chosen.text() : undefined);
  };
  const error = isTooLarge ? words.tooLarge : typeof file === 'string' ? file : undefined;
  return (
    <>
      <Field label={words.file} error={error}>
        {(control) => (
          <input
            {...control}
            class="input"
            type="file"
            accept=".csv,.txt,text/csv"
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      {typeof file === 'object' ? (
        <ImportForm file={file} onDone={onDone} onClose={onClose} />
      ) : (
        <div>
          <p class="hint">{words.exampleLabel}</p>
          <Code>{words.example}</Code>
        </div>
      )}
    </>
  );
}
