// SPDX-License-Identifier: Apache-2.0
import { ensureObject, objectAt } from "../../json/json.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { podSpecWarnings } from "../pod-spec/pod-spec-warnings.ts";
import { validatePodTemplate } from "../pod-spec/validate-pod-spec.ts";

/** PodTemplates. */
export const podTemplateStrategy: Strategy = {
  setDefaults: (object) => setPodTemplateDefaults(ensureObject(object, "template")),
  validate: (object) => validatePodTemplate(objectAt(object, "template") ?? {}, "template"),
  warnings: (object) => podSpecWarnings(objectAt(object, "template") ?? {}, "template"),
  countsGenerations: true,
};
