import type { Category } from '@petstore/client';
import { ConflictError } from '../../api/errors.ts';
import { invalidate } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { WriteState } from '../../parts/write-state.tsx';
import { BASE } from '../../router.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { AsCurl } from '../../ui/curl.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { categoryWords as words } from '../../words/catalogue.ts';
import { controlWords } from '../../words/controls.ts';

export interface DeleteCategoryDialogProps {
  category: Category;
  onClose: () => void;
}

export function DeleteCategoryDialog({ category, onClose }: DeleteCategoryDialogProps) {
  const { id, name } = category;
  const write = useWrite<undefined, void>({
    send: (_, idempotencyKey) => store.categories.delete(id, { idempotencyKey }),
    onDone: () => {
      say(words.deleted(name));
      invalidate('listCategories');
      onClose();
    },
  });
  const isInUse = write.error instanceof ConflictError && write.error.code === 'category_in_use';
  return (
    <Dialog title={words.deleteTitle(name)} subtitle={words.number(id)} onClose={onClose}>
      <p>{words.deleteText}</p>
      <WriteState write={write} />
      <AsCurl method="DELETE" path={`/categories/${id}`} />
      <footer class="actions">
        <Button onClick={onClose}>{words.keep}</Button>
        {isInUse ? (
          <LinkButton href={`${BASE}/catalogue?categoryId=${id}`} look="primary">
            {words.inUse}
          </LinkButton>
        ) : (
          <Button
            look="danger"
            isBusy={write.state !== 'idle'}
            onClick={() => write.run(undefined)}
          >
            {write.state === 'sending' ? controlWords.saving : words.delete}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}
