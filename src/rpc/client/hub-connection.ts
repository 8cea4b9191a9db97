// SPDX-License-Identifier: Apache-2.0
import type { ClientHttp2Stream, ClientSessionRequestOptions, OutgoingHttpHeaders } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { createGrpcTransport } from "@connectrpc/connect-node";
import { HubLink, type HubLinkOptions } from "./hub-link.ts";

/** Connect's interface for the HTTP/2 session of a transport. */
type SessionManager = NonNullable<Parameters<typeof createGrpcTransport>[0]["sessionManager"]>;

/**
 * One HTTP/2 connection to a hub for all requests, dialled on demand and dialled again after it closed
 * (docs/decisions/0013). A connection that ends fails only the requests that were on it. Abort it, or it keeps the
 * process alive until its idle timeout.
 */
export class HubConnection implements SessionManager {
  readonly authority: string;
  readonly #options: HubLinkOptions;
  /** The link for the next request. */
  #newest: HubLink | undefined;
  /** All links that are not closed: the newest, and retired ones that finish their requests. */
  readonly #links = new Set<HubLink>();

  constructor(options: HubLinkOptions) {
    this.#options = options;
    this.authority = new URL(options.url).origin;
  }

  /**
   * Resolves when a request can be sent. Rejects with the dial's error; concurrent callers share one dial and its
   * error.
   */
  async open(): Promise<void> {
    await this.#usable();
  }

  /** Called by Connect: starts a request. */
  async request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: Omit<ClientSessionRequestOptions, "signal">,
  ): Promise<ClientHttp2Stream> {
    const link = await this.#usable();
    return link.request({ ...headers, ":method": method, ":path": path }, options);
  }

  /** Called by Connect: bytes of a response were read. */
  notifyResponseByteRead(stream: ClientHttp2Stream): void {
    for (const link of this.#links) if (link.carries(stream)) link.noteReceived();
  }

  /** Cancels all requests and dials, and closes. A later request dials again. */
  abort(): void {
    const reason = new ConnectError("the connection was closed by this process", Code.Canceled);
    for (const link of this.#links) link.destroy(reason);
  }

  async #usable(): Promise<HubLink> {
    const kept = this.#newest;
    if (kept !== undefined) {
      await kept.opened;
      if (await kept.isUsable()) return kept;
      this.#forget(kept);
    }
    const link = (this.#newest ??= this.#dial());
    await link.opened;
    return link;
  }

  #dial(): HubLink {
    const link = new HubLink(this.#options, {
      onRetired: (retired) => this.#forget(retired),
      onClosed: (closed) => void this.#links.delete(closed),
    });
    this.#links.add(link);
    return link;
  }

  #forget(link: HubLink): void {
    if (this.#newest === link) this.#newest = undefined;
  }
}
