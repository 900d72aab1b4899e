// The index of words: for each word of a record, a row (workspace_id, word, id). The record itself has its words as a JSON
// list, so that a list which does not follow the index checks each row by itself. Both are written in one transaction.

import sql, { raw } from 'sql-template-tag';
import { wordsOf } from '../../domain/words.ts';
import { prefixSuccessor } from '../../lib/text.ts';
import { type Dialect, dialectOf, perEngine } from '../dialect.ts';
import type { Among } from '../list.ts';
import { type Runner, statement } from '../runner.ts';

/** The words of a text, as a record has them. */
export function wordList(text: string): string {
  return JSON.stringify(wordsOf(text));
}

export class WordIndex {
  readonly #index: string;
  readonly #column: string;
  readonly #add;
  readonly #list;
  readonly #remove;

  /** `column` of the table has the words that the index has. */
  constructor({ table, index, column }: { table: string; index: string; column: string }) {
    this.#index = index;
    this.#column = column;
    const words = ({ elements, rowsWithIds }: Dialect) =>
      `SELECT record.workspace_id, each.value, record.id
       FROM ${rowsWithIds(table, { list: '$1', workspace: '$2', name: 'record' })},
         ${elements(`record.${column}`)} WHERE record.workspace_id = $2`;
    this.#add = perEngine((dialect) =>
      statement(`INSERT INTO ${index} (workspace_id, word, id) ${words(dialect)}`),
    );
    this.#list = perEngine((dialect) =>
      statement<readonly [workspaceId: number, word: string, id: number]>(words(dialect)),
    );
    this.#remove = statement(
      `DELETE FROM ${index} WHERE workspace_id = $1 AND word = $2 AND id = $3`,
    );
  }

  /** Call it once the records have their words. */
  async add(runner: Runner, workspaceId: number, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const list = dialectOf(runner).list(ids);
    await runner.runLater(this.#add(runner), [list, workspaceId]);
  }

  /** Call it while the records still have these words. */
  async remove(runner: Runner, workspaceId: number, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const list = dialectOf(runner).list(ids);
    await runner.runEach(this.#remove, await runner.rows(this.#list(runner), [list, workspaceId]));
  }

  /** Adds the words of the parameter `$words` in the statement that makes the record, whose id is in the CTE named. */
  insertion({ elements }: Dialect, { from, words }: { from: string; words: number }): string {
    return `INSERT INTO ${this.#index} (workspace_id, word, id)
      SELECT $2, each.value, ${from}.id FROM ${from}, ${elements(`$${words}`)}`;
  }

  /** Records that have, for each of these, a word that starts with it. The longest is tried first: it selects the fewest. */
  startingWith(workspaceId: number, words: readonly string[]): Among[] {
    return words
      .toSorted((a, b) => b.length - a.length)
      .map((word) => {
        const to = prefixSuccessor(word)!;
        return {
          // A word has letters and digits alone, none of which means anything to LIKE.
          where: [sql`${raw(this.#column)} LIKE ${`%"${word}%`}`],
          index: [
            sql`SELECT id FROM ${raw(this.#index)} WHERE workspace_id = ${workspaceId}
              AND word >= ${word} AND word < ${to} ORDER BY word, id`,
          ],
        };
      });
  }
}
