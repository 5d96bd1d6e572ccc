// Per feature: which rules use it, and how.

function startFeatures() {
  onChange(() => {
    const uses = features.map(() => []);
    state.program.rules.forEach((rule, number) => {
      for (const condition of rule.conditions) uses[condition.feature].push({ number, rule, condition });
    });
    const used = [...uses.keys()].filter((j) => uses[j].length).sort((a, b) => uses[b].length - uses[a].length || a - b);
    byId("feature-list").replaceChildren(...used.map((j) => featureCard(features[j], uses[j])));
    const others = features.filter((_, j) => !uses[j].length).map((feature) => feature.name);
    byId("feature-unused").textContent = others.length ? `No rule asks about ${others.join(", ")}.` : "";
  });
}

function featureCard(feature, uses) {
  const axis = isNumeric(feature) ? axisOf(feature, uses.map((use) => use.condition)) : null;
  const list = make("ul", { class: "uses" });
  for (const { number, rule, condition } of uses) {
    list.append(make("li", { class: rule.off ? "off" : null },
      make("p", {}, make("a", { href: `#rule-${number + 1}` }, `Rule ${number + 1}`), ` `, make("span", { class: "condition" }, condition.text)),
      axis ? drawTrack(condition, axis) : drawCondition(condition, rule.output)));
  }
  const missing = feature.missing ? ` · ${counted(feature.missing)} missing` : "";
  return make("article", { class: "card feature" },
    make("h3", { class: "long" }, feature.name),
    make("p", { class: "note" }, `${feature.kind}${missing} · ${uses.length === 1 ? "1 rule" : `${uses.length} rules`}`),
    axis ? drawDistribution(feature, axis) : null, list);
}
