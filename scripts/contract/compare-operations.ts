// Compares two contracts operation by operation, as a client of the older one sees them.

import { isDeepStrictEqual } from 'node:util';
import { SchemaComparison } from './compare-schemas.ts';
import {
  type Body,
  type Content,
  type Contract,
  type Direction,
  type Operation,
  type Parameter,
  type PathItem,
  resolve,
} from './document.ts';

/** One line for each change that breaks clients. Experimental operations may change in any way. */
export function breakingChanges(before: Contract, after: Contract): string[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['x-stability'] !== 'experimental')
      .flatMap(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path}`;
        const found = after.paths[path]?.[method];
        if (found) return new OperationComparison(before, after, name).compare(operation, found);
        return isOver(operation) ? [] : [`${name}: removed, and not deprecated with a past sunset`];
      }),
  );
}

function isOver({ deprecated, 'x-sunset': sunset }: Operation): boolean {
  return deprecated === true && sunset !== undefined && Date.parse(sunset) < Date.now();
}

class OperationComparison {
  readonly #before: Contract;
  readonly #after: Contract;
  readonly #name: string;
  readonly #schemas: SchemaComparison;
  readonly #found: string[] = [];

  constructor(before: Contract, after: Contract, name: string) {
    this.#before = before;
    this.#after = after;
    this.#name = name;
    this.#schemas = new SchemaComparison(before, after, this.#report);
  }

  readonly #report = (line: string): void => {
    this.#found.push(`${this.#name} ${line}`);
  };

  compare(was: Operation, is: Operation): string[] {
    for (const field of ['operationId', 'x-scope'] as const) {
      if (was[field] !== is[field]) this.#report(`${field}: was ${was[field]}, is ${is[field]}`);
    }
    this.#compareSecurity(was, is);
    this.#compareParameters(was.parameters ?? [], is.parameters ?? []);
    this.#compareBody(was.requestBody, is.requestBody);
    this.#compareResponses(was, is);
    this.#compareCallbacks(was.callbacks ?? {}, is.callbacks ?? {});
    return this.#found;
  }

  #compareSecurity(was: Operation, is: Operation): void {
    const offered = is.security ?? this.#after.security ?? [];
    for (const way of was.security ?? this.#before.security ?? []) {
      if (!offered.some((other) => isDeepStrictEqual(way, other)))
        this.#report(`security: ${JSON.stringify(way)} is gone`);
    }
    // An operation that was open to all has no way in its list that could go.
    const wasOpen = (was.security ?? this.#before.security ?? []).length === 0;
    if (wasOpen && offered.length > 0) this.#report('security: needs a key now');
  }

  #compareParameters(was: readonly Parameter[], is: readonly Parameter[]): void {
    const before = byName(was.map((parameter) => resolve(this.#before, parameter)));
    const after = byName(is.map((parameter) => resolve(this.#after, parameter)));
    for (const [name, old] of before) {
      const found = after.get(name);
      if (!found) this.#report(`${name}: removed`);
      else this.#compareSchemas(old, found, 'request', name);
    }
    for (const [name, { required }] of after) {
      if (required && !before.get(name)?.required) this.#report(`${name}: required now`);
    }
  }

  #compareBody(was: Body | undefined, is: Body | undefined): void {
    const before = was && resolve(this.#before, was);
    const after = is && resolve(this.#after, is);
    if (before && !after) this.#report('body: removed');
    if (after?.required && !before?.required) this.#report('body: required now');
    this.#compareContent(before?.content, after?.content, 'request', 'body');
  }

  #compareResponses(was: Operation, is: Operation): void {
    for (const [status, response] of Object.entries(was.responses ?? {})) {
      const before = resolve(this.#before, response);
      const found = is.responses?.[status];
      if (!found) {
        if (/^[123]/.test(status)) this.#report(`${status}: removed`);
        continue;
      }
      const after = resolve(this.#after, found);
      this.#compareContent(before.content, after.content, 'response', status);
      for (const [name, header] of Object.entries(before.headers ?? {})) {
        const other = after.headers?.[name];
        if (!other) this.#report(`${status} ${name}: removed`);
        else {
          const [old, present] = [resolve(this.#before, header), resolve(this.#after, other)];
          this.#compareSchemas(old, present, 'response', `${status} ${name}`);
        }
      }
    }
  }

  /** A callback is sent by the service, so its body is what clients receive. */
  #compareCallbacks(
    was: Record<string, Record<string, PathItem>>,
    is: Record<string, Record<string, PathItem>>,
  ): void {
    for (const [name, urls] of Object.entries(was)) {
      for (const [url, methods] of Object.entries(urls)) {
        for (const [method, { requestBody }] of Object.entries(methods)) {
          const found = is[name]?.[url]?.[method];
          if (!found) this.#report(`callback ${name}: removed`);
          else {
            const [before, after] = [requestBody?.content, found.requestBody?.content];
            this.#compareContent(before, after, 'response', `callback ${name}`);
          }
        }
      }
    }
  }

  #compareContent(
    was: Content | undefined,
    is: Content | undefined,
    direction: Direction,
    place: string,
  ): void {
    for (const [type, media] of Object.entries(was ?? {})) {
      const found = is?.[type];
      if (!found) this.#report(`${place}: ${type} removed`);
      else this.#compareSchemas(media, found, direction, place);
    }
  }

  #compareSchemas(
    was: Pick<Parameter, 'schema'>,
    is: Pick<Parameter, 'schema'>,
    direction: Direction,
    place: string,
  ): void {
    this.#schemas.compare({ before: was.schema ?? {}, after: is.schema ?? {}, direction, place });
  }
}

function byName(parameters: readonly Parameter[]): Map<string, Parameter> {
  return new Map(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
}
