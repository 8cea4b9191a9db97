// SPDX-License-Identifier: Apache-2.0
// The messages of hints in their wire form and as checked values.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import {
  type HintAnswersSchema,
  type ObjectHintSchema,
  type HintAnswers as WireAnswers,
  type ObjectHint as WireHint,
  HintResult as WireResult,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { cutText } from "../../model/text.ts";
import { fromRefusal, toRefusal } from "../tunnel/tunnel-messages.ts";
import { type HintAnswer, type HintResult, maxHintNameBytes, maxHintsOfAgent, type ObjectHint } from "./hint.ts";

const resultNumbers: Readonly<Record<HintResult, WireResult>> = {
  refreshed: WireResult.REFRESHED,
  unchanged: WireResult.UNCHANGED,
  notFound: WireResult.NOT_FOUND,
  leftToWatch: WireResult.LEFT_TO_WATCH,
};

const results = new Map<number, HintResult>(
  (Object.keys(resultNumbers) as HintResult[]).map((result) => [resultNumbers[result], result]),
);

/** The wire form of a hint. */
export function toObjectHint({
  number,
  resource,
  namespace,
  name,
}: ObjectHint): MessageInitShape<typeof ObjectHintSchema> {
  return { number, resource, namespace, name };
}

/** A hint as received by the agent. Names are cut, not checked: the agent refuses them with a sentence (SE68). */
export function parseObjectHint({ number, resource, namespace, name }: WireHint): ObjectHint {
  return {
    number,
    resource: cutText(resource, maxHintNameBytes),
    namespace: cutText(namespace, maxHintNameBytes),
    name: cutText(name, maxHintNameBytes),
  };
}

/** The wire form of answers. */
export function toHintAnswers(answers: readonly HintAnswer[]): MessageInitShape<typeof HintAnswersSchema> {
  return {
    answers: answers.map(({ number, result }) =>
      result instanceof FlotillaError
        ? { number, refusal: toRefusal(result) }
        : { number, result: resultNumbers[result] },
    ),
  };
}

/**
 * Answers as received by the hub. Throws TOO_LARGE for more than an agent can have. A result of a newer agent becomes
 * an error: it states nothing about the row.
 */
export function parseHintAnswers({ answers }: WireAnswers): readonly HintAnswer[] {
  if (answers.length > maxHintsOfAgent)
    throw new FlotillaError(
      "TOO_LARGE",
      `a message has ${answers.length} answers to hints, the most is ${maxHintsOfAgent}`,
    );
  return answers.map(({ number, result, refusal }) => {
    if (refusal !== undefined) return { number, result: fromRefusal(refusal) };
    return { number, result: results.get(result) ?? new FlotillaError("UNIMPLEMENTED", unknownResult) };
  });
}

const unknownResult = "the agent is newer than this hub and gave an answer that it does not know";
