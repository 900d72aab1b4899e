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
