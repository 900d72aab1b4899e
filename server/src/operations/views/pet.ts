import type { Static } from 'typebox';
import type { PetRecord } from '../../domain/pet.ts';
import { statusOf } from '../../domain/stock.ts';
import type { Pet } from '../schemas/pet.ts';

export type PetView = Static<typeof Pet>;

export function petView(pet: PetRecord) {
  const { id, name, categoryId, stock, reference, metadata } = pet;
  const { lowStockAt } = stock;
  return { id, name, categoryId, status: statusOf(stock), reference, lowStockAt, metadata };
}
