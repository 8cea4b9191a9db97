// SPDX-License-Identifier: Apache-2.0
import type { ClientHttp2Stream, ClientSessionRequestOptions, OutgoingHttpHeaders } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { createGrpcTransport } from "@connectrpc/connect-node";
import { HubLink, type HubLinkOptions } from "./hub-link.ts";

/** What Connect's transports send their requests over. */
type SessionManager = NonNullable<Parameters<typeof createGrpcTransport>[0]["sessionManager"]>;

/**
 * A client's way to its hub: one HTTP/2 connection for all requests, dialled when it is needed and dialled anew when it is gone (docs/decisions/0013).
 * However it ends, it is told to those whose requests were on it and to nobody else. Abort it, or it keeps the process alive until it is idle.
 */
export class HubConnection implements SessionManager {
  readonly authority: string;
  readonly #options: HubLinkOptions;
  /** Where the next request goes. */
  #newest: HubLink | undefined;
  /** All that are not closed: beside the newest those that only finish what they have. */
  readonly #links = new Set<HubLink>();

  constructor(options: HubLinkOptions) {
    this.#options = options;
    this.authority = new URL(options.url).origin;
  }

  /** Resolves when a request could go out. Rejects with what stands in the way, also for whoever waits for the same dial. */
  async open(): Promise<void> {
    await this.#usable();
  }

  /** Connect's: begins a request. */
  async request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: Omit<ClientSessionRequestOptions, "signal">,
  ): Promise<ClientHttp2Stream> {
    const link = await this.#usable();
    return link.request({ ...headers, ":method": method, ":path": path }, options);
  }

  /** Connect's: something was read of an answer. */
  notifyResponseByteRead(stream: ClientHttp2Stream): void {
    for (const link of this.#links) if (link.carries(stream)) link.heard();
  }

  /** Breaks off what is under way, dials too, and closes. A later request dials again. */
  abort(): void {
    const reason = new ConnectError("the connection was given up", Code.Canceled);
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
