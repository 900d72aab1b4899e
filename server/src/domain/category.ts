export interface NewCategory {
  name: string;
  description?: string;
}

export interface Category extends NewCategory {
  id: number;
}

export interface CategoryPatch {
  name?: string;
  description?: string | null;
}

export function patchCategory(category: Category, patch: CategoryPatch): Category {
  const description =
    patch.description === undefined ? category.description : (patch.description ?? undefined);
  return {
    id: category.id,
    name: patch.name ?? category.name,
    ...(description === undefined ? {} : { description }),
  };
}
