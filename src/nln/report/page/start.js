// Each section says what it shows after a change; then the model as it was saved is taken.

startCards();
startWhatIf();
startDial();
startFeatures();
startCase();
startErrors();
takeProgram(state.place);
