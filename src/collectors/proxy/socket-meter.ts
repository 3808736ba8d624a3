import type { Socket } from "node:net";

/** Bytes of sockets in both directions, as the other side counts them: TLS and heads included. */
export class SocketMeter {
  readonly #open = new Set<Socket>();
  #closed = 0;

  /** `onClose` is called when its count is final. */
  add(socket: Socket, onClose?: () => void): void {
    this.#open.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#closed += bytesOf(socket);
      onClose?.();
    });
  }

  /** Of all sockets, so far. */
  get moved(): number {
    let moved = this.#closed;
    for (const socket of this.#open) moved += bytesOf(socket);
    return moved;
  }
}

const bytesOf = ({ bytesRead, bytesWritten }: Socket): number => bytesRead + bytesWritten;
