// SPDX-License-Identifier: Apache-2.0
// Entry of a process that plays many viewers, each with its own HTTP/2 connection over TLS, as browsers have. Argument:
// the plan as JSON.
import { once } from "node:events";
import { connect } from "node:http2";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { PageService } from "../../src/gen/flotilla/page/v1/page_pb.ts";
import { pollMs, type ViewerNews, type ViewerOrder, type ViewerPlan } from "./viewer-messages.ts";

const plan = JSON.parse(process.argv[2] ?? "") as ViewerPlan;
const say = (news: ViewerNews): void => void process.send?.(news);
// Whoever started it is gone: so is the reason to run.
process.once("disconnect", () => process.exit(0));
let [messageCount, bytes, openCount] = [0, 0, 0];

function noteOpen(): void {
  openCount += 1;
  if (openCount === plan.viewerCount) say({ kind: "ready" });
}

function headersOf(at: number): { readonly authorization: string } {
  return { authorization: `Bearer ${plan.tokens[at % plan.tokens.length] ?? ""}` };
}

/** Follows the fleet, as a page does: browsers do not ask for compressed messages. */
async function follow(at: number): Promise<void> {
  const sessionManager = new Http2SessionManager(plan.url, {}, { ca: plan.ca });
  const transport = createConnectTransport({
    baseUrl: plan.url,
    httpVersion: "2",
    sessionManager,
    acceptCompression: [],
  });
  const subscriptions = [{ id: 1, position: "", view: { case: "fleet", value: {} } as const }];
  let isFirst = true;
  for await (const message of createClient(PageService, transport).open(
    { subscriptions },
    { headers: headersOf(at) },
  )) {
    messageCount += 1;
    bytes += message.update.length;
    if (message.isSnapshot && isFirst) noteOpen();
    if (message.isSnapshot) isFirst = false;
  }
}

/** Asks for the list again and again, at a moment of its own. */
async function poll(at: number): Promise<void> {
  const session = connect(plan.url, { ca: plan.ca });
  await new Promise((resolve) => setTimeout(resolve, (pollMs * at) / plan.viewerCount));
  for (let turn = 0; ; turn += 1) {
    const startedMs = performance.now();
    const request = session.request({ ":path": "/health", accept: "application/json", ...headersOf(at) });
    request.on("data", (part: Uint8Array) => {
      bytes += part.length;
    });
    request.end();
    // Rejects with what broke it off.
    await once(request, "close");
    messageCount += 1;
    if (turn === 0) noteOpen();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, pollMs - (performance.now() - startedMs))));
  }
}

process.on("message", (_order: ViewerOrder) => say({ kind: "counts", messageCount, bytes }));
const view = plan.way === "stream" ? follow : poll;
await Promise.all(Array.from({ length: plan.viewerCount }, (_, at) => view(at)));
