// SPDX-License-Identifier: Apache-2.0
// Mistakes that tunnels could have, put in by the wiring of a test: what the judge must find.
import type { HubFleet } from "../../../src/hub/hub-fleet.ts";
import type { Impersonation } from "../../../src/kube/credentials/cluster-access.ts";
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import { encodeBody, parseTunnelUp } from "../../../src/session/tunnel/tunnel-messages.ts";
import type { TunnelBug } from "./tunnel-door.ts";

/** A hub to which the id of a tunnel is enough. */
export const ticketsAreNotChecked: TunnelBug = {
  reopen: ({ tunnelId, ticket }, { offers }) => ({ tunnelId, ticket: offers.get(tunnelId)?.ticket ?? ticket }),
};

/** A hub to which any ticket that it gave out is as good as another. */
export const ticketsAreAlike: TunnelBug = {
  reopen: ({ tunnelId, ticket }, { offers }) => {
    const isOne = [...offers.values()].some((offer) => Buffer.compare(offer.ticket, ticket) === 0);
    return { tunnelId, ticket: (isOne ? offers.get(tunnelId)?.ticket : undefined) ?? ticket };
  },
};

/** A hub that does not know any more which session a tunnel belongs to. */
export const tunnelsOutliveSessions: TunnelBug = {
  spoil: ({ fleet: { sessions } }: HubFleet) => {
    const openTunnel = sessions.openTunnel.bind(sessions);
    sessions.openTunnel = (...args) => {
      const asked = openTunnel(...args);
      return asked.kind === "asked" ? { ...asked, epoch: -1 } : asked;
    };
  },
};

/** A hub that takes what has come for the whole when no more comes. */
export const partsPassForWhole: TunnelBug = {
  async *reread(messages) {
    let hasPart = false;
    try {
      for await (const bytes of messages) {
        hasPart = hasPart || parseTunnelUp(bytes).kind === "body";
        yield bytes;
      }
    } catch (reason) {
      if (!hasPart) throw reason;
    }
    if (hasPart) yield encodeBody(new Uint8Array(), true);
  },
};

/** An agent that acts for whoever asked before. */
export function actsForTheLast(source: KubeSource): KubeSource {
  let last: Impersonation | undefined;
  return {
    async request(request, signal) {
      const { actAs } = request;
      if (actAs === undefined) return source.request(request, signal);
      const before = last ?? actAs;
      last = actAs;
      return source.request({ ...request, actAs: before }, signal);
    },
  };
}

async function* each(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}

/** An agent that reads each object once, and then knows it. */
export function answersFromMemory(source: KubeSource): KubeSource {
  const known = new Map<string, readonly Uint8Array[]>();
  return {
    async request(request, signal) {
      const pieces = known.get(request.path);
      if (request.actAs !== undefined && pieces !== undefined)
        return { status: 200, headers: new Map(), body: each(pieces) };
      const answer = await source.request(request, signal);
      return request.actAs === undefined ? answer : { ...answer, body: keep(answer.body, request.path) };
    },
  };

  async function* keep(body: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array, void> {
    const pieces: Uint8Array[] = [];
    for await (const piece of body) {
      pieces.push(piece);
      yield piece;
    }
    known.set(path, pieces);
  }
}
