import type { Category } from '@petstore/client';
import { ConflictError } from '../../api/errors.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { BASE } from '../../router.ts';
import { say } from '../../ui/say.ts';
import { categoryWords as words } from '../../words/catalogue.ts';

interface DeleteCategoryDialogProps {
  category: Category;
  onClose: () => void;
}

export function DeleteCategoryDialog({ category, onClose }: DeleteCategoryDialogProps) {
  const { id, name } = category;
  const write = useWrite<undefined, void>({
    operation: 'deleteCategory',
    send: (_, idempotencyKey) => store.categories.delete(id, { idempotencyKey }),
    onDone: () => say(words.deleted(name)),
    goOn: onClose,
  });
  const isInUse = write.error instanceof ConflictError && write.error.code === 'category_in_use';
  return (
    <ConfirmDialog
      title={words.deleteTitle(name)}
      action={words.delete}
      write={write}
      onConfirm={() => write.run(undefined)}
      onClose={onClose}
      curl={{ method: 'DELETE', path: `/categories/${id}` }}
    >
      <p>
        {words.deleteText}{' '}
        {isInUse && <a href={`${BASE}/catalogue?categoryId=${id}`}>{words.inUse}</a>}
      </p>
    </ConfirmDialog>
  );
}
