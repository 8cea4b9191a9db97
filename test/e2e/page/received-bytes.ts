// SPDX-License-Identifier: Apache-2.0
// Everything that a page was sent: its own requests and the stream, which for this is held by the tab and not by a
// worker.
import { fromBinary } from "@bufbuild/protobuf";
import type { BrowserContext, Page } from "playwright-core";
import {
  type FleetCluster,
  FleetUpdateSchema,
  type OpenResponse,
  OpenResponseSchema,
} from "../../../src/gen/flotilla/page/v1/page_pb.ts";

const recorder = `
  delete globalThis.SharedWorker;
  globalThis.received = [];
  const ask = globalThis.fetch.bind(globalThis);
  const keep = async (record, stream) => {
    for await (const chunk of stream) record.text += Array.from(chunk, (byte) => String.fromCharCode(byte)).join("");
  };
  globalThis.fetch = async (...words) => {
    const answer = await ask(...words);
    const record = { url: answer.url, text: "" };
    globalThis.received.push(record);
    if (answer.body === null) return answer;
    const [kept, passed] = answer.body.tee();
    keep(record, kept).catch(() => undefined); // the page left the stream
    return new Response(passed, answer);
  };
`;

interface ReceivedRecord {
  readonly url: string;
  readonly text: string;
}

/** Keeps what the pages of a context are sent, from their next load on. */
export async function recordContext(context: BrowserContext): Promise<void> {
  await context.addInitScript(recorder);
}

async function readRecords(page: Page): Promise<readonly ReceivedRecord[]> {
  return (await page.evaluate("globalThis.received")) as readonly ReceivedRecord[];
}

/** All bytes since the page was loaded, a character each. */
export async function receivedText(page: Page): Promise<string> {
  return (await readRecords(page)).map(({ text }) => text).join("\n");
}

/**
 * The clusters as the fleet's view brought them, each update of one by itself. For a page that was loaded at the fleet:
 * there that view is the first.
 */
export async function receivedClusters(page: Page): Promise<readonly FleetCluster[]> {
  const streams = (await readRecords(page)).filter(({ url }) => url.endsWith("PageService/Open"));
  const messages = streams.flatMap(({ text }) => [...toMessages(Buffer.from(text, "latin1"))]);
  const fleet = messages.filter(({ subscriptionId }) => subscriptionId === 1);
  return fleet.flatMap(({ update }) => fromBinary(FleetUpdateSchema, update).clusters);
}

/**
 * The messages of a stream as Connect frames them: a byte of flags, four of length. What is not whole yet is left out.
 */
function* toMessages(bytes: Buffer): Generator<OpenResponse, void, undefined> {
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    if (end > bytes.length) return;
    if (bytes[at] === 0) yield fromBinary(OpenResponseSchema, bytes.subarray(at + 5, end));
    at = end;
  }
}
