import { clearableText, id, name, newName, object, text } from './fields.ts';
import { Type } from './type.ts';

const DESCRIPTION_MAX = 2_000;
const categoryName = name('Category name (a kind of animal).', 'Dogs');
const newCategoryName = newName('Category name (a kind of animal).', 'Dogs');

export const NewCategory = object('NewCategory', {
  name: newCategoryName,
  description: Type.Optional(text('Short description of the category.', DESCRIPTION_MAX)),
});

export const Category = object('Category', {
  id: id('Unique identifier assigned on creation.'),
  name: categoryName,
  description: Type.Optional(text('Short description of the category.', DESCRIPTION_MAX)),
});

export const CategoryPatch = object('CategoryPatch', {
  name: Type.Optional(newCategoryName),
  description: Type.Optional(
    clearableText('Short description of the category; null clears it.', DESCRIPTION_MAX),
  ),
});

export const exampleCategory = { id: 1, name: 'Dogs', description: 'Loyal, loud, always hungry.' };
