// Each section registers what it shows after a change; then the model is loaded as it was saved.

startCards();
startWhatIf();
startDial();
startFeatures();
startCase();
startErrors();
takeProgram(state.place);
