import type { Transport } from './transport.ts';

/** The operations of one noun. A group works by itself: `new Orders(new Transport(options))`. */
export class Group {
  declare protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}
