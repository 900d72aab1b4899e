import type { Category } from '../../domain/category.ts';

export function categoryView({ id, name, description }: Category) {
  return { id, name, description };
}
